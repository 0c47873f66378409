"""The messages and services of the protocol, generated from Protos/collection_layout/v1."""
