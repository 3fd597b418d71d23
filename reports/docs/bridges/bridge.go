// A bridge in Go: put your budget in place of `spend`. Run it as `go run bridge.go`, or built.
package main

import (
	"bufio"
	"encoding/json"
	"os"
)

type command struct {
	Do      string
	Run     int
	Request struct{ Epsilon *float64 }
}

type answer map[string]any

var spent = map[int]float64{}

// The code under test: pure epsilons are summed.
func spend(run int, epsilon *float64) bool {
	if epsilon == nil || spent[run]+*epsilon > 1.0 {
		return false
	}
	spent[run] += *epsilon
	return true
}

func main() {
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for line, err := in.ReadBytes('\n'); err == nil; line, err = in.ReadBytes('\n') {
		var told struct {
			Id    int
			Batch []command
		}
		json.Unmarshal(line, &told)
		answers := make([]answer, len(told.Batch))
		for place, asked := range told.Batch {
			answers[place] = answer{}
			switch asked.Do {
			case "version":
				answers[place]["protocol"] = 1
			case "ask":
				answers[place]["granted"] = spend(asked.Run, asked.Request.Epsilon)
			}
		}
		out.Encode(map[string]any{"id": told.Id, "answers": answers})
	}
}
