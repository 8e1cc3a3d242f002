package storage

// Data is everything the data half keeps. Consumers take the small interface
// they need; only the wiring knows this one.
type Data interface {
	HubStore
	ProjectStore
	MemberStore
	GroupStore
	AppAccessStore
	AccessStore
	FolderStore
	ItemStore
	VersionStore
	FlowStore
	TransmittalStore
	ReservationStore
	ObjectStore
	ObjectUpkeepStore
	ArchiveStore
	ThumbnailStore
	ScanStore
	RefStore
	LinkStore
	EndStore
	SearchStore
	EventStore
	WebhookStore
	DoneStore
	NameStore
	PersonStore
	TreeUpkeepStore
	BulkStore
	FacilityStore
	ElementStore
	DocumentStore
}

// Store is both halves.
type Store interface {
	Identity
	Data
}
