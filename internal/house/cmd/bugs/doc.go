// Bugs lists the rows of the acceptance lists that no test names.
//
//	bugs [-facts DIR] [-file NAME] [-require NAME] [MODULE]
//
// An acceptance list is a Markdown file NAME-bugs.md in DIR (default $CROSSWALK_FACTS, else
// ../shared/facts) with tables of public reports. A row's keys are the reports in its column
// "report" or "reported in", such as "owner/agent#12" or "owner/agent PR 3", and its id together with
// the list, such as "hook/7" or "gateway/A1". A row is covered when one of its keys stands in a string
// of a _test.go file, or in the name or text of a file under testdata. Letter case and punctuation do not
// count, the owner may be left out, so the file name "agent-12.txtar" covers "owner/agent#12".
//
// -file looks at one list, -require NAME looks at one list and exits 1 unless every row of it is
// covered.
//
// It may import the standard library only.
package main
