package cli

// keepDescriptors does nothing: on Windows only named handles are inherited.
func keepDescriptors() {}
