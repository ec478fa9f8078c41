// SPDX-License-Identifier: MIT

/** Time-ordered unique IDs. */
module kuid {
    exports kuid;
}
