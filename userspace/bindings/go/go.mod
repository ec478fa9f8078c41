// SPDX-License-Identifier: MIT
module kuid.example/userspace/bindings/go

go 1.19
