// Package tomledit reads the TOML files in which agents keep their settings.
//
// Start with [Decode]. The package may import the standard library and
// pelletier/go-toml.
package tomledit
