// Command handoff measures how fast sessions are converted and found, and in how
// much memory, as docs/benchmarks.md tells: it makes its own session files,
// builds the product, and runs it side by side with jq and find.
//
//	go run ./bench/handoff              all of it, about four minutes
//	go run ./bench/handoff -quick       small files, to see that it works
//	go run ./bench/handoff -write       also writes the table into docs/benchmarks.md
//	go run ./bench/handoff -check       exits 1 if a figure misses what must be
//	go run ./bench/handoff -profile DIR profiles the work instead
//
// It may import bench/internal, agent/all, agent and handoff; only -profile
// needs the last three.
package main
