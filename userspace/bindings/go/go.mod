// SPDX-License-Identifier: MIT
module kuid.example/userspace/bindings/go

go 1.19

require github.com/google/uuid v1.3.0
