module collectionlayout.example/terminal

go 1.19

require (
	collectionlayout.example/layoutclient v0.0.0
	golang.org/x/sys v0.3.0
	google.golang.org/grpc v1.33.3
	google.golang.org/protobuf v1.28.1
)

replace collectionlayout.example/layoutclient => ../../Clients/go
