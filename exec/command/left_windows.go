package command

import (
	"context"

	"github.com/theus-hooks/theus-hooks/response"
)

const canLeave = false

// Resume is not called on Windows, where nothing is left.
func Resume(context.Context, *Left) response.Result {
	return response.Result{Status: response.CouldNotStart, Error: errUnsupported.Error()}
}
