// A bridge in Rust, without crates: put your budget in place of `spend`. Build it with `rustc -O bridge.rs`.
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

// The code under test: pure epsilons are summed.
fn spend(spent: &mut f64, epsilon: Option<f64>) -> bool {
    match epsilon {
        Some(epsilon) if *spent + epsilon <= 1.0 => {
            *spent += epsilon;
            true
        }
        _ => false,
    }
}

// What follows a name up to the next comma or brace: enough for numbers and words of the protocol.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = &text[text.find(&format!("\"{}\":", name))? + name.len() + 3..];
    Some(rest[..rest.find(|c| c == ',' || c == '}' || c == ']')?].trim().trim_matches('"'))
}

fn main() -> io::Result<()> {
    let mut budgets: HashMap<String, f64> = HashMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut answers = Vec::new();
        for command in line.split("{\"do\":").skip(1) {
            let command = format!("{{\"do\":{}", command);
            let run = field(&command, "run").unwrap_or("").to_string();
            answers.push(match field(&command, "do") {
                Some("version") => "{\"protocol\":1}".to_string(),
                Some("ask") => {
                    let epsilon = field(&command, "epsilon").and_then(|text| text.parse().ok());
                    let granted = spend(budgets.entry(run).or_insert(0.0), epsilon);
                    format!("{{\"granted\":{}}}", granted)
                }
                Some("close") => {
                    budgets.remove(&run);
                    "{}".to_string()
                }
                _ => "{}".to_string(),
            });
        }
        println!("{{\"id\":{},\"answers\":[{}]}}", field(&line, "id").unwrap_or("0"), answers.join(","));
        io::stdout().flush()?;
    }
    Ok(())
}
