// Command scripted-upstream serves a scripted model on the loopback interface, for
// tests that start real clients or a gateway as processes of their own.
//
//	scripted-upstream --script turns.json [--listen 127.0.0.1:0] [--record DIR]
//	                  [--work DIR] [--seed TEXT] [--all-requests]
//
// It prints its address as one line and ends on SIGTERM or SIGINT. The script and
// the records are those of package scripted, the only package of this module that
// it imports; the rest is the standard library.
package main
