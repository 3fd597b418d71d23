// A bridge in JavaScript, for Node: put your budget in place of `Budget`.
import { createInterface } from "node:readline";

// The code under test: pure epsilons are summed.
class Budget {
  constructor(stored = "0") {
    this.spent = Number(stored);
  }
  spend(request) {
    if (request.epsilon === null || this.spent + request.epsilon > 1.0) return false;
    this.spent += request.epsilon;
    return true;
  }
}

const budgets = new Map();

function answer({ do: what, run, request, state }) {
  switch (what) {
    case "version":
      return { protocol: 1 };
    case "describe":
      return { can: ["state", "restart"] };
    case "open":
      budgets.set(run, new Budget());
      return {};
    case "ask":
      return { granted: budgets.get(run).spend(request) };
    case "state":
      return { state: String(budgets.get(run).spent) };
    case "restart":
      budgets.set(run, new Budget(state));
      return {};
    case "close":
      budgets.delete(run);
      return {};
  }
  return {};
}

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  console.log(JSON.stringify({ id: told.id, answers: told.batch.map(answer) }));
}
