// SPDX-License-Identifier: MIT

package kuid

// Guarantees is what holds now for IDs of a Generator. A program can refuse to run
// on less:
//
//	if now, err := kuid.Host.Guarantees(kuid.V7); err != nil || now.Clones == "never" {
//		log.Fatal("IDs may repeat")
//	}
type Guarantees struct {
	// Source is Device or Plain.
	Source Source
	// Order is "host", over all programs of the host that ask for it, or "file",
	// over all of the process. It is lost between programs whose Order or
	// Source differs.
	Order string
	// Unique, Ordered and RebootSafe tell whether no ID repeats on this host, IDs
	// are in order, and none repeats after a reboot.
	Unique, Ordered, RebootSafe bool
	// Clones tells when a copy of the virtual machine is noticed: "seen" before the
	// next ID, "told" later, or "never", also if the machine is not virtual.
	Clones string
}

// Of linux/kuid.h.
const (
	clonesSeen = 0x1
	clonesTold = 0x2
)

// Guarantees tells what holds for IDs of a format. It opens the device if no ID has
// decided yet where they are made, and then there is no warning if there is none.
func (g *Generator) Guarantees(format Format) (Guarantees, error) {
	d, err := g.open(format)
	if err != nil {
		return Guarantees{}, err
	}
	if d == nil {
		warned.Do(func() {})
		return Guarantees{Plain, "file", true, true, true, "never"}, nil
	}
	s, err := d.status()
	if err != nil {
		return Guarantees{}, helped(err)
	}
	bit := uint64(1) << format
	now := Guarantees{Device, "file", s.unique&bit != 0, s.ordered&bit != 0, s.rebootSafe&bit != 0, "never"}
	if g.HostOrder {
		now.Order = "host"
	}
	switch {
	case s.clones&clonesSeen != 0:
		now.Clones = "seen"
	case s.clones&clonesTold != 0:
		now.Clones = "told"
	}
	return now, nil
}
