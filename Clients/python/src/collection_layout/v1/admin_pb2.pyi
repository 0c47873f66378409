from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SessionStatus(_message.Message):
    __slots__ = ("name", "peer", "identity", "collection", "layout", "detached", "age", "live_elements", "frames", "keyframes", "sent_bytes", "events", "refused_events", "unacknowledged_frames", "unacknowledged_bytes", "data_version", "versions_behind", "lag")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PEER_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    DETACHED_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    LIVE_ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    KEYFRAMES_FIELD_NUMBER: _ClassVar[int]
    SENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENTS_FIELD_NUMBER: _ClassVar[int]
    UNACKNOWLEDGED_FRAMES_FIELD_NUMBER: _ClassVar[int]
    UNACKNOWLEDGED_BYTES_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_BEHIND_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    name: str
    peer: str
    identity: str
    collection: str
    layout: str
    detached: bool
    age: _duration_pb2.Duration
    live_elements: int
    frames: int
    keyframes: int
    sent_bytes: int
    events: int
    refused_events: int
    unacknowledged_frames: int
    unacknowledged_bytes: int
    data_version: int
    versions_behind: int
    lag: _duration_pb2.Duration
    def __init__(self, name: _Optional[str] = ..., peer: _Optional[str] = ..., identity: _Optional[str] = ..., collection: _Optional[str] = ..., layout: _Optional[str] = ..., detached: bool = ..., age: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., live_elements: _Optional[int] = ..., frames: _Optional[int] = ..., keyframes: _Optional[int] = ..., sent_bytes: _Optional[int] = ..., events: _Optional[int] = ..., refused_events: _Optional[int] = ..., unacknowledged_frames: _Optional[int] = ..., unacknowledged_bytes: _Optional[int] = ..., data_version: _Optional[int] = ..., versions_behind: _Optional[int] = ..., lag: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ...) -> None: ...

class ListSessionStatusesResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token", "total_size")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[SessionStatus]
    next_page_token: str
    total_size: int
    def __init__(self, sessions: _Optional[_Iterable[_Union[SessionStatus, _Mapping[str, object]]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ...) -> None: ...

class EndSessionRequest(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class CollectionStatus(_message.Message):
    __slots__ = ("name", "data_version", "section_count", "item_count", "update_time", "resident", "resident_bytes", "subscribers", "log_batches", "log_bytes", "stored_snapshot_bytes", "stored_log_batches", "stored_log_bytes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    SECTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ITEM_COUNT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    RESIDENT_FIELD_NUMBER: _ClassVar[int]
    RESIDENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBERS_FIELD_NUMBER: _ClassVar[int]
    LOG_BATCHES_FIELD_NUMBER: _ClassVar[int]
    LOG_BYTES_FIELD_NUMBER: _ClassVar[int]
    STORED_SNAPSHOT_BYTES_FIELD_NUMBER: _ClassVar[int]
    STORED_LOG_BATCHES_FIELD_NUMBER: _ClassVar[int]
    STORED_LOG_BYTES_FIELD_NUMBER: _ClassVar[int]
    name: str
    data_version: int
    section_count: int
    item_count: int
    update_time: _timestamp_pb2.Timestamp
    resident: bool
    resident_bytes: int
    subscribers: int
    log_batches: int
    log_bytes: int
    stored_snapshot_bytes: int
    stored_log_batches: int
    stored_log_bytes: int
    def __init__(self, name: _Optional[str] = ..., data_version: _Optional[int] = ..., section_count: _Optional[int] = ..., item_count: _Optional[int] = ..., update_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, object]]] = ..., resident: bool = ..., resident_bytes: _Optional[int] = ..., subscribers: _Optional[int] = ..., log_batches: _Optional[int] = ..., log_bytes: _Optional[int] = ..., stored_snapshot_bytes: _Optional[int] = ..., stored_log_batches: _Optional[int] = ..., stored_log_bytes: _Optional[int] = ...) -> None: ...

class ListCollectionStatusesResponse(_message.Message):
    __slots__ = ("collections", "next_page_token", "total_size", "database_bytes", "database_log_bytes")
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_SIZE_FIELD_NUMBER: _ClassVar[int]
    DATABASE_BYTES_FIELD_NUMBER: _ClassVar[int]
    DATABASE_LOG_BYTES_FIELD_NUMBER: _ClassVar[int]
    collections: _containers.RepeatedCompositeFieldContainer[CollectionStatus]
    next_page_token: str
    total_size: int
    database_bytes: int
    database_log_bytes: int
    def __init__(self, collections: _Optional[_Iterable[_Union[CollectionStatus, _Mapping[str, object]]]] = ..., next_page_token: _Optional[str] = ..., total_size: _Optional[int] = ..., database_bytes: _Optional[int] = ..., database_log_bytes: _Optional[int] = ...) -> None: ...

class LogSettings(_message.Message):
    __slots__ = ("level",)
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    level: str
    def __init__(self, level: _Optional[str] = ...) -> None: ...

class CreateBackupRequest(_message.Message):
    __slots__ = ("file_name",)
    FILE_NAME_FIELD_NUMBER: _ClassVar[int]
    file_name: str
    def __init__(self, file_name: _Optional[str] = ...) -> None: ...

class Backup(_message.Message):
    __slots__ = ("path", "bytes", "duration")
    PATH_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    path: str
    bytes: int
    duration: _duration_pb2.Duration
    def __init__(self, path: _Optional[str] = ..., bytes: _Optional[int] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ...) -> None: ...

class LayoutProviderAddress(_message.Message):
    __slots__ = ("address", "authorities_file", "token_file")
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    AUTHORITIES_FILE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FILE_FIELD_NUMBER: _ClassVar[int]
    address: str
    authorities_file: str
    token_file: str
    def __init__(self, address: _Optional[str] = ..., authorities_file: _Optional[str] = ..., token_file: _Optional[str] = ...) -> None: ...

class LayoutProviderStatus(_message.Message):
    __slots__ = ("layout", "address", "encrypted", "registered", "healthy", "problem", "answers", "updates", "faults", "description", "parameters_schema")
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTED_FIELD_NUMBER: _ClassVar[int]
    REGISTERED_FIELD_NUMBER: _ClassVar[int]
    HEALTHY_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    layout: str
    address: str
    encrypted: bool
    registered: bool
    healthy: bool
    problem: str
    answers: int
    updates: int
    faults: int
    description: str
    parameters_schema: str
    def __init__(self, layout: _Optional[str] = ..., address: _Optional[str] = ..., encrypted: bool = ..., registered: bool = ..., healthy: bool = ..., problem: _Optional[str] = ..., answers: _Optional[int] = ..., updates: _Optional[int] = ..., faults: _Optional[int] = ..., description: _Optional[str] = ..., parameters_schema: _Optional[str] = ...) -> None: ...

class ListLayoutProvidersResponse(_message.Message):
    __slots__ = ("layout_providers",)
    LAYOUT_PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    layout_providers: _containers.RepeatedCompositeFieldContainer[LayoutProviderStatus]
    def __init__(self, layout_providers: _Optional[_Iterable[_Union[LayoutProviderStatus, _Mapping[str, object]]]] = ...) -> None: ...
