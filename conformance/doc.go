// Package conformance holds the tests that run real coding agents. They have the
// build tag "conformance" and need the pinned clients:
//
//	scripts/install-clients .cache/clients
//	go test -tags conformance ./conformance/...
//
// CROSSWALK_CLIENTS names another folder of clients. Every client runs in a
// sealed box, for which the machine must permit namespaces; CROSSWALK_UNSEALED=1
// runs them without, with network access.
//
// The machinery is in conformance/rig; clients.json pins the versions. The tests
// may import anything of this module. Start with conformance/rig.Bench.
package conformance
