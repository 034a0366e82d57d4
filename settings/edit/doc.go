// Package edit will change the text of a settings file in the smallest way: add,
// remove, switch on and off one hook, and leave every other byte as it was.
//
// It is not built yet.
package edit
