module collectionlayout.example/layoutclient

go 1.19

// The versions of Debian 12. Newer ones work as well.
require (
	google.golang.org/grpc v1.33.3
	google.golang.org/protobuf v1.28.1
)
