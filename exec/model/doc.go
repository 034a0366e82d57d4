// Package model will run hooks of type prompt and agent: it asks a language
// model, behind an interface of one method, and reads its yes or no.
//
// It is not built yet. Until it is, such hooks end as could-not-start, which
// `onFailure: block` turns into a block. It belongs to theus-hooks-host, since
// model clients are too heavy for the hot path.
package model
