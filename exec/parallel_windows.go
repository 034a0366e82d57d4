package exec

// parallel is how many hooks can run at a time. Windows knows no small limit of
// open files.
func parallel() int { return Parallel }
