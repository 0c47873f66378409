// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/duration.pb.h>
#include <grpcpp/grpcpp.h>

#include <stdexcept>
#include <string>

#include "collection_layout/v1/problem.pb.h"

namespace collection_layout {

// A stream that ended, or an event that was refused.
class LayoutError : public std::runtime_error {
 public:
  LayoutError(grpc::StatusCode code, std::string reason, const std::string& message, double retry_delay = 0);
  explicit LayoutError(const grpc::Status& status);
  explicit LayoutError(const v1::Problem& problem);

  grpc::StatusCode code() const { return code_; }
  // For programs: "VERSION_CONFLICT". Empty where the code says everything.
  const std::string& reason() const { return reason_; }
  // After how many seconds to try again, at most 60; 0 = the server named no time.
  double retry_delay() const { return retry_delay_; }

 private:
  grpc::StatusCode code_;
  std::string reason_;
  double retry_delay_;
};

// The seconds to wait that a server has sent, which may be absurd: 0 to 60.
double BoundedDelay(const google::protobuf::Duration& delay);

}  // namespace collection_layout
