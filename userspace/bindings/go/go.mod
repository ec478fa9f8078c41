// SPDX-License-Identifier: MIT
module kuid

go 1.19
