// SPDX-License-Identifier: MIT
module kuid.invalid/kuid

go 1.19
