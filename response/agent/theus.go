package agent

// theus speaks the canonical format: nothing is changed.
var theus = Agent{Name: "theus", Title: "Theus", native: true, plain: true}
