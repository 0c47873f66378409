// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Short names for the messages of calls.
extension Wire {
  typealias ApplyUpdatesRequest = CollectionLayout_V1_ApplyUpdatesRequest
  typealias CreateCollectionRequest = CollectionLayout_V1_CreateCollectionRequest
  typealias DeleteCollectionRequest = CollectionLayout_V1_DeleteCollectionRequest
  typealias ExportContentsRequest = CollectionLayout_V1_ExportContentsRequest
  typealias ExportContentsResponse = CollectionLayout_V1_ExportContentsResponse
  typealias GetCollectionRequest = CollectionLayout_V1_GetCollectionRequest
  typealias CollectionView = CollectionLayout_V1_CollectionView
  typealias ListCollectionsRequest = CollectionLayout_V1_ListCollectionsRequest
  typealias QueryElementsRequest = CollectionLayout_V1_QueryElementsRequest
  typealias UpdateCollectionRequest = CollectionLayout_V1_UpdateCollectionRequest
  typealias ValidateLayoutRequest = CollectionLayout_V1_ValidateLayoutRequest
}
