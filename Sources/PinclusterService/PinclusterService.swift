// PinclusterService
