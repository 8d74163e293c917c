// Package all lists the agents that Crosswalk knows. It is the one place that
// names them. It may import agent and the adapters.
package all
