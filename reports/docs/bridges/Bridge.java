// A bridge in Java, with the JDK alone: put your budget in place of `spend`. Run it as `java Bridge.java`.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class Bridge {
    static final Map<String, Double> spent = new HashMap<>();

    // The code under test: pure epsilons are summed.
    static boolean spend(String run, String epsilon) {
        if (epsilon.equals("null") || spent.get(run) + Double.parseDouble(epsilon) > 1.0) return false;
        spent.merge(run, Double.parseDouble(epsilon), Double::sum);
        return true;
    }

    // What follows a name up to the next comma or bracket: enough for numbers and words of the protocol.
    static String field(String text, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"?([^,\"}\\]]*)").matcher(text);
        return found.find() ? found.group(1) : "";
    }

    static String answer(String command) {
        String run = field(command, "run");
        switch (field(command, "do")) {
            case "version":
                return "{\"protocol\":1}";
            case "open":
                spent.put(run, 0.0);
                return "{}";
            case "ask":
                return "{\"granted\":" + spend(run, field(command, "epsilon")) + "}";
            case "close":
                spent.remove(run);
        }
        return "{}";
    }

    public static void main(String[] words) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringJoiner answers = new StringJoiner(",");
            for (String command : line.split("(?=\\{\"do\":)")) if (command.startsWith("{\"do\"")) answers.add(answer(command));
            System.out.println("{\"id\":" + field(line, "id") + ",\"answers\":[" + answers + "]}");
        }
    }
}
