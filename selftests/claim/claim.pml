/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of claimed numbers, for Spin. Documentation/design/claims.md describes claims.
 * claim_model.sh searches the model: each row turns on some of what can go
 * wrong, and each plant, WITHOUT_..., takes one rule away.
 *
 *   kernels   obey KUID_IOC_CLAIM and KUID_IOC_CLAIM_CEILING, and make IDs
 *   daemons   kuid-claim, one step for each call to the kernel, to the store or to the disk
 *   store     one record for each number
 *   world     clones machines, copies disks, restores backups
 *
 * Time is a number of slots. Nobody reads a clock: a kernel makes any slot of its claim at any time, and
 * a daemon takes any number at any time. The search watches one slot of one number, chosen at the start.
 * If any ID could be made twice, the search that watches its slot finds that. A step is atomic and begins
 * where the last one ended, so that a machine can be copied between any two steps.
 *
 * Values that are drawn at random (tokens, nonces, load_id) are small numbers here, and 0 is none.
 */

#ifndef HOSTS
#define HOSTS 2 /* machines, with those that clones become */
#endif
#ifndef CLONES
#define CLONES 0 /* the last of these machines exist only once another one is copied */
#endif
#ifndef DAEMONS
#define DAEMONS 1 /* on each host */
#endif
#ifndef NUMBERS
#define NUMBERS 1
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef DRAWS
#define DRAWS 5 /* how many tokens and nonces are drawn in all */
#endif
#ifndef BOOTS
#define BOOTS 0 /* how many reboots there are in all */
#endif
#ifndef INTERVALS
#define INTERVALS 1 /* how many values of I kernels are loaded with */
#endif

/* ------------------------------------------------------------------- state */

typedef record {
	byte token; /* of the take; 0: no record */
	byte load_id; /* of the kernel that the take was for */
	byte nonce; /* of the last write */
	byte ceiling;
#ifdef BY_REVISION
	byte revision; /* the store's counter of writes */
#endif
};

mtype = { LIVE, ENDED, FORKED };

/* The claim as KUID_IOC_GET_STATE gives it. */
typedef kernel_state {
	byte load_id; /* 0: this machine doesn't exist */
	bool closed; /* the generation ID has changed, and no new epoch has begun */
	byte token; /* 0: there was no claim since the boot */
	mtype is;
	byte number;
	byte floor;
	byte ceiling;
	byte below; /* of an ended claim: all its IDs are below this time */
	bool passed; /* the clock has passed the watched slot: slots only increase */
#if INTERVALS > 1
	byte interval; /* I, a parameter of the load */
#endif
};

mtype = { LOOK, CHECK, OWN, PICK, SYNC, TAKE, KEEP, SPACE, SET, RAISE, LIFT, END, NOTE, GIVE, LOWER };

/*
 * kuid-claim. All is lost if it dies. It is
 *   at LOOK   to read the kernel's claim
 *   at CHECK  to compare it with its record
 *   at OWN    the owner: it may raise the ceiling, give the number back, or take another one
 *   at PICK   to choose a number, read its record and draw a token
 *   at SYNC, KEEP and NOTE to write the file, if the disk is trusted
 *   at TAKE, RAISE and LOWER to write the record
 *   at SPACE  to read the record of the space, after a take or a raise
 *   at SET, LIFT and END to call KUID_IOC_CLAIM and KUID_IOC_CLAIM_CEILING
 *   at GIVE   to read the record that is to be lowered
 */
typedef daemon_state {
	mtype at;
	bool unsure; /* whether the store has done the write that it was sent */
	byte load_id; /* of the kernel, before the store was asked */
	byte mine; /* the token that this daemon has set or adopted */
	byte number;
	byte floor; /* of the take; at GIVE and LOWER: the new ceiling */
	record base; /* the version that the write is computed from */
	record next; /* the write; at CHECK: the token that the kernel shows */
};

kernel_state kernel[HOSTS];
daemon_state daemon[HOSTS * DAEMONS];
record store[NUMBERS];
byte loads; /* how many load_ids were drawn */
byte boots;

byte watched_number, watched_slot;
byte made; /* the watched ID was made; by this token, if clones aren't seen */

#define HOST   (self / DAEMONS)
#define K      kernel[HOST]
#define D      daemon[self]
#ifndef REPLACES
#define REPLACES D.mine /* rule 1 */
#endif
#define IS_LIVE(k) (k.token && k.is == LIVE)

#ifdef BY_REVISION
byte revision;
#define COPY(to, from) \
	to.token = from.token; to.load_id = from.load_id; to.nonce = from.nonce; \
	to.ceiling = from.ceiling; to.revision = from.revision
#else
#define COPY(to, from) \
	to.token = from.token; to.load_id = from.load_id; to.nonce = from.nonce; \
	to.ceiling = from.ceiling
#endif

/* Two records are the same if all of them is. */
#define SAME(a, b) \
	(a.token == b.token && a.load_id == b.load_id && a.nonce == b.nonce && a.ceiling == b.ceiling)

/* Rule 2: what a write compares. */
#if defined(BY_REVISION)
#define SAME_VERSION(a, b) (a.revision == b.revision)
#elif defined(BY_NONCE)
#define SAME_VERSION(a, b) (a.nonce == b.nonce)
#else
#define SAME_VERSION(a, b) SAME(a, b)
#endif

/* Rule 3: what tells that a write of one's own was done. */
#ifdef OWN_BY_NONCE
#define IS_OWN(seen, sent) (seen.nonce == sent.nonce)
#else
#define IS_OWN(seen, sent) SAME(seen, sent)
#endif

/* These keep no value from one step to the next. */
hidden record seen;
hidden byte most, from, to, i;
hidden byte ok;

inline clear(r)
{
	r.token = 0;
	r.load_id = 0;
	r.nonce = 0;
	r.ceiling = 0;
#ifdef BY_REVISION
	r.revision = 0;
#endif
}

/* --------------------------------------------------------- random numbers */

/*
 * Twins draw the same numbers until the kernel has reseeded its generator. This may be later than the
 * new epoch, as kuid sees a new generation ID before the kernel does. Here it is never.
 */
#ifdef DRAWS_ALIKE
byte seed[HOSTS], draws[HOSTS];
#define CAN_DRAW (draws[HOST] < DRAWS)
#ifdef WITHOUT_MIX
#define DRAW(to) draws[HOST]++; to = seed[HOST] * 8 + draws[HOST]
#else
#define DRAW(to) draws[HOST]++; to = D.load_id * 40 + seed[HOST] * 8 + draws[HOST]
#endif
#else
byte draws;
#define CAN_DRAW (draws < DRAWS)
#define DRAW(to) draws++; to = draws
#endif

inline new_load_id(k)
{
	loads++;
	k.load_id = loads;
}

/* ------------------------------------------------------------------- store */

#ifdef STALE_READS
record before[NUMBERS]; /* the version before the last write */
#endif

inline read_record(into, which)
{
	if
	:: COPY(into, store[which])
#ifdef STALE_READS
	:: COPY(into, before[which])
#endif
	fi
}

/* Sets ok if the record was the version that the write was computed from. */
inline compare_and_swap(which, version, write)
{
#ifdef WITHOUT_RULE_2_CAS
	ok = true;
#else
	ok = SAME_VERSION(store[which], version);
#endif
	if
	:: ok ->
#ifdef STALE_READS
		COPY(before[which], store[which]);
#endif
		COPY(store[which], write);
#ifdef BY_REVISION
		revision++;
		store[which].revision = revision;
#endif
	:: else
	fi
}

#ifdef LATE_REQUESTS
/* A write that is still under way, although its sender no longer waits. */
bool late;
byte late_number;
record late_base, late_next;
#endif

/*
 * The record of the space. Rule 7: I of all numbers, from the first who came. Rule 8: numbers are used
 * from this time on only, because the store has lost writes.
 */
#if INTERVALS > 1
byte space_interval; /* I + 1; 0: not written */
#endif
#ifdef RECOVER
byte space_closed;
byte clock; /* the store's */
record backup[NUMBERS];
bool saved, restored; /* the backup */
#ifdef BY_REVISION
byte backup_revision;
#endif
#ifndef HORIZON
#define HORIZON 1
#endif
#define SKEW 1
/* An owner may have written a higher ceiling in vain before. */
#ifdef RULE_8_BY_RECORD
#define RAISED_FROM D.base.ceiling
#else
#define RAISED_FROM K.ceiling
#endif
#ifdef WITHOUT_RULE_8_SKEW
#define RECOVER_SKEW SKEW
#else
#define RECOVER_SKEW (2 * SKEW)
#endif
#endif

/* -------------------------------------------------------------------- disk */

#ifdef TRUST_DISK
typedef file_state {
	byte token, number, floor, ceiling;
	bool released;
#if INTERVALS > 1
	byte interval;
#endif
};
file_state file[HOSTS];
#define F file[HOST]
#ifdef WITHOUT_RULE_6
file_state old_file; /* a copy of a file */
byte old_host;
bool old_kept;
#endif
#define COPY_FILE(to, from) \
	to.token = from.token; to.number = from.number; to.floor = from.floor; \
	to.ceiling = from.ceiling; to.released = from.released
#endif

/* ------------------------------------------------------------------ kernel */

/* Whether a caller that names this load is refused: ESTALE. */
#ifdef WITHOUT_GATE
#define OTHER_LOAD(k, id) (k.load_id != id)
#else
#define OTHER_LOAD(k, id) (k.closed || k.load_id != id)
#endif

/* KUID_IOC_CLAIM. Sets ok. Another I is EINVAL. */
inline ioc_claim(k, the_load_id, the_token, replaces, the_number, the_floor, the_ceiling)
{
	ok = false;
	if
#ifndef WITHOUT_CLAIM_LOAD_ID
	:: OTHER_LOAD(k, the_load_id) /* ESTALE */
#endif
	:: else -> if
		:: IS_LIVE(k) && k.token != replaces /* EBUSY */
#ifndef WITHOUT_DEAD_TOKEN
		:: k.token == the_token /* ESTALE: it has been used */
#endif
		:: else ->
			k.token = the_token;
			k.is = LIVE;
			k.number = the_number;
			k.floor = the_floor;
			k.ceiling = the_ceiling;
			k.below = 0;
			k.closed = false; /* an epoch begins */
			ok = true
		fi
	fi
}

/* Whether the caller of KUID_IOC_CLAIM_CEILING names the claim. */
#ifdef WITHOUT_RAISE_TOKEN
#define NAMED(k, the_load_id, the_token) (k.token)
#else
#define NAMED(k, the_load_id, the_token) (!OTHER_LOAD(k, the_load_id) && k.token == the_token)
#endif

/* KUID_IOC_CLAIM_CEILING with a ceiling. */
inline ioc_raise(k, the_load_id, the_token, the_ceiling)
{
	ok = false;
	if
#ifdef WITHOUT_END_FOR_GOOD
	:: NAMED(k, the_load_id, the_token) ->
#else
	:: NAMED(k, the_load_id, the_token) && k.is == LIVE ->
#endif
		ok = true;
		k.is = LIVE;
		if
		:: the_ceiling > k.ceiling -> k.ceiling = the_ceiling
		:: else
		fi
	:: else /* ESTALE */
	fi
}

/* KUID_IOC_CLAIM_CEILING with KUID_CLAIM_END. A second end gives the same time. */
inline ioc_end(k, the_load_id, the_token)
{
	ok = false;
	if
	:: NAMED(k, the_load_id, the_token) && k.is != FORKED ->
		ok = true;
		if
		:: k.is == LIVE ->
#ifdef WITHOUT_END_FLOOR
			k.below = 0;
#else
			k.below = k.floor;
#endif
			if
			:: k.passed && watched_slot >= k.below -> k.below = watched_slot + 1
			:: else
			fi;
			k.is = ENDED;
			k.floor = 0;
			k.ceiling = 0
		:: else
		fi
	:: else /* ESTALE */
	fi
}

/*
 * The watched ID, as the number and the slot that a kernel makes it of. I moves the number inside the
 * ID: one kernel has the number first, and another one has it last.
 */
#if INTERVALS > 1
#define WATCHED	     (watched_number * SLOTS + watched_slot)
#define ID_NUMBER(k) (k.interval -> WATCHED % NUMBERS : watched_number)
#define ID_SLOT(k)   (k.interval -> WATCHED / NUMBERS : watched_slot)
#else
#define ID_NUMBER(k) watched_number
#define ID_SLOT(k)   watched_slot
#endif

#define ME kernel[self]

proctype kernel_of(byte self)
{
end:	do
	:: atomic { /* the watched ID is made */
		ME.load_id && !ME.closed && IS_LIVE(ME) && !ME.passed && ME.number == ID_NUMBER(ME) &&
		ID_SLOT(ME) >= ME.floor && ID_SLOT(ME) < ME.ceiling ->
			ME.passed = true;
#ifdef CLONES_UNSEEN
			/* Unseen twins repeat one another's IDs of the same take. */
			assert(!made || made == ME.token);
			made = ME.token
#else
			assert(!made);
			made = true
#endif
	}
#ifndef TRUST_DISK
	:: atomic { /* IDs are taken back, which a claim that lives prevents */
		ME.passed && !IS_LIVE(ME) -> ME.passed = false
	}
#endif
#if CLONES
	:: atomic { /* the epoch after a fork or hibernation begins */
		ME.closed ->
			new_load_id(ME);
			ME.closed = false;
#ifndef WITHOUT_FORK_ENDS
			if
			:: IS_LIVE(ME) -> ME.is = FORKED; ME.floor = 0; ME.ceiling = 0
			:: else
			fi
#endif
	}
#endif
	od
}

/* ------------------------------------------------------------------ daemon */

inline forget()
{
	D.at = LOOK;
	D.unsure = false;
	D.load_id = 0;
	D.number = 0;
	D.floor = 0;
	clear(D.base);
	clear(D.next)
}

/* Rule 8: the highest ceiling that may be written. */
inline set_most()
{
#if defined(RECOVER) && !defined(WITHOUT_RULE_8_BOUND)
	if
	:: most = clock + SKEW + HORIZON
	:: most = clock + SKEW + SKEW + HORIZON /* by another member's clock */
	fi;
	if
	:: most > SLOTS -> most = SLOTS
	:: else
	fi
#else
	most = SLOTS
#endif
}

/* A write with a ceiling above that of the version. */
inline compute_higher(the_token)
{
	set_most();
	if
	:: D.base.ceiling < most ->
		DRAW(D.next.nonce);
		D.next.token = the_token;
		D.next.load_id = D.load_id;
		D.next.ceiling = D.base.ceiling + 1;
		do
		:: D.next.ceiling < most -> D.next.ceiling++
		:: break
		od
	:: else -> forget()
	fi
}

#if INTERVALS > 1 || defined(RECOVER)
#define AFTER_WRITE SPACE
#else
#define AFTER_WRITE (D.next.token == D.mine -> LIFT : SET)
#endif

/* The store has done the write. */
inline was_done()
{
	D.unsure = false;
	if
#ifdef TRUST_DISK
	:: D.at == TAKE || D.at == RAISE -> D.at = KEEP
#else
	:: D.at == TAKE || D.at == RAISE -> D.at = AFTER_WRITE
#endif
	:: D.at == LOWER -> D.mine = 0; forget()
	fi
}

/* It has not, as others have written meanwhile: look anew. */
inline was_not_done()
{
	if
	:: D.at == LOWER ->
		D.at = GIVE;
		D.unsure = false;
		clear(D.base);
		clear(D.next)
	:: else -> forget()
	fi
}

/* After the kernel's end at D.floor. Rule 5: only where clones are seen. */
#if defined(CLONES_UNSEEN) && !defined(WITHOUT_RULE_5_VM)
#define AFTER_END LOOK
#elif defined(TRUST_DISK)
#define AFTER_END NOTE
#else
#define AFTER_END GIVE
#endif

#define WRITES (D.at == TAKE || D.at == RAISE || D.at == LOWER)

proctype daemon_of(byte self)
{
end:	do
	:: atomic { /* the daemon dies and is started again */
		D.at != LOOK || D.mine -> D.mine = 0; forget()
	}
	:: atomic {
		D.at == LOOK && K.load_id ->
			D.load_id = K.load_id;
			if
			:: IS_LIVE(K) ->
				D.number = K.number;
				D.next.token = K.token;
				D.at = CHECK
			:: else ->
				D.mine = 0;
				D.at = PICK
			fi
	}
	:: atomic { /* rule 4: adopt the kernel's claim */
		D.at == CHECK ->
			read_record(seen, D.number);
			if
#ifdef WITHOUT_RULE_4
			:: true ->
#elif defined(WITHOUT_RULE_4_LOAD_ID)
			:: seen.token == D.next.token ->
#else
			:: seen.token == D.next.token &&
			   (seen.load_id == D.load_id || D.mine == D.next.token) ->
#endif
				D.mine = D.next.token;
				COPY(D.base, seen);
				clear(D.next);
				D.at = OWN
			:: else -> if
				:: D.mine == D.next.token -> /* others have the number */
					clear(D.next);
					D.number = 0;
					D.at = PICK
				:: else -> forget() /* rule 1: it is another daemon's */
				fi
			fi
	}
	:: atomic { /* raise the ceiling */
		D.at == OWN && D.base.ceiling < SLOTS && CAN_DRAW ->
			D.at = RAISE;
			compute_higher(D.mine)
	}
	:: atomic { /* give the number back */
		D.at == OWN -> D.at = END
	}
	:: atomic { /* or take another one at once */
		D.at == OWN ->
			D.number = 0;
			clear(D.base);
			D.at = PICK
	}
#ifdef TRUST_DISK
	:: atomic { /* rule 6: go on from the file, without the store */
		D.at == PICK && !D.mine && F.ceiling && !F.released ->
			ioc_claim(K, D.load_id, F.token, 0, F.number, F.floor, F.ceiling);
			if
			:: ok -> D.mine = F.token
			:: else
			fi;
			forget()
	}
#endif
	:: atomic { /* take any number */
		D.at == PICK && CAN_DRAW ->
			do
			:: D.number < NUMBERS - 1 -> D.number++
			:: break
			od;
			read_record(D.base, D.number);
			D.floor = D.base.ceiling;
#ifdef WITHOUT_RULE_2_FLOOR
			D.floor = before[D.number].ceiling;
#endif
#if defined(RECOVER) && defined(WITHOUT_RULE_8_READ)
			if
			:: space_closed > D.floor -> D.floor = space_closed
			:: else
			fi;
#endif
#ifdef TRUST_DISK
			if
			:: D.base.token && D.base.token == F.token && !F.released -> D.floor = F.floor
			:: else
			fi;
			D.at = SYNC;
#else
			D.at = TAKE;
#endif
			compute_higher(0);
			D.next.token = D.next.nonce
	}
#ifdef TRUST_DISK
	:: atomic { /* before the take */
		D.at == SYNC ->
			F.token = D.next.token;
			F.number = D.number;
			F.floor = D.floor;
			F.released = false;
#ifdef WITHOUT_RULE_6_CEILING
			F.ceiling = D.next.ceiling;
#else
			F.ceiling = 0;
#endif
			D.at = TAKE
	}
	:: atomic { /* after the take or the raise */
		D.at == KEEP ->
			F.ceiling = D.next.ceiling;
			D.at = AFTER_WRITE
	}
	:: atomic { /* after the end */
		D.at == NOTE ->
#ifndef WITHOUT_RULE_6_RELEASED
			F.token = 0;
			F.number = 0;
			F.floor = 0;
			F.ceiling = 0;
			F.released = true;
#endif
			D.at = GIVE
	}
#endif
	:: atomic { /* rule 3: write */
		WRITES && !D.unsure ->
			if
			:: compare_and_swap(D.number, D.base, D.next);
				if
				:: ok -> was_done()
				:: else -> was_not_done()
				fi
#ifdef LOST_ANSWERS
			:: compare_and_swap(D.number, D.base, D.next);
				D.unsure = true
			:: D.unsure = true /* lost on its way */
#endif
#ifdef LATE_REQUESTS
			:: !late ->
				late = true;
				late_number = D.number;
				COPY(late_base, D.base);
				COPY(late_next, D.next);
				D.unsure = true
#endif
			fi
	}
	:: atomic { /* rule 3: the outcome is unknown */
		WRITES && D.unsure ->
#ifdef WITHOUT_RULE_3
			was_done()
#else
			read_record(seen, D.number);
			if
			:: IS_OWN(seen, D.next) -> was_done()
			:: else -> if
				:: SAME_VERSION(seen, D.base) -> D.unsure = false
				:: else -> was_not_done()
				fi
			fi
#endif
	}
#if INTERVALS > 1 || defined(RECOVER)
	:: atomic { /* rules 7 and 8: the record of the space */
		D.at == SPACE ->
#if INTERVALS > 1
			if
			:: !space_interval -> space_interval = K.interval + 1
			:: else
			fi;
#endif
			if
#if INTERVALS > 1 && !defined(WITHOUT_RULE_7)
			:: space_interval != K.interval + 1 -> forget()
#endif
#if defined(RECOVER) && !defined(WITHOUT_RULE_8_RAISE)
			:: D.next.token == D.mine && RAISED_FROM < space_closed -> forget()
#endif
			:: else ->
#if defined(RECOVER) && !defined(WITHOUT_RULE_8_READ) && !defined(WITHOUT_RULE_8_FLOOR)
				if
				:: space_closed > D.floor -> D.floor = space_closed
				:: else
				fi;
#endif
				D.at = (D.next.token == D.mine -> LIFT : SET)
			fi
	}
#endif
	:: atomic { /* KUID_IOC_CLAIM */
		D.at == SET ->
			ok = false;
#ifdef WITHOUT_RULE_1_LOAD_ID
			D.load_id = K.load_id;
#endif
			if
			:: D.floor < D.next.ceiling ->
				ioc_claim(K, D.load_id, D.next.token, REPLACES, D.number, D.floor,
					  D.next.ceiling)
			:: else /* EINVAL */
			fi;
			if
			:: ok ->
				D.mine = D.next.token;
				D.floor = 0;
				COPY(D.base, D.next);
				clear(D.next);
				D.at = OWN
			:: else ->
#ifdef WITHOUT_RULE_5_CLAIM
				COPY(D.base, D.next);
				D.next.ceiling = D.floor;
				D.at = LOWER
#else
				forget()
#endif
			fi
	}
	:: atomic { /* KUID_IOC_CLAIM_CEILING: raise */
		D.at == LIFT ->
#ifdef WITHOUT_RULE_1
			ioc_raise(K, K.load_id, K.token, D.next.ceiling);
#else
			ioc_raise(K, D.load_id, D.mine, D.next.ceiling);
#endif
			if
			:: ok ->
				COPY(D.base, D.next);
				clear(D.next);
				D.at = OWN
			:: else -> forget()
			fi
	}
	:: atomic { /* KUID_IOC_CLAIM_CEILING: end */
		D.at == END ->
#ifdef WITHOUT_RULE_5_END
			ok = true;
			D.floor = (K.passed -> watched_slot + 1 : K.floor);
#else
#ifdef WITHOUT_RULE_1
			ioc_end(K, K.load_id, K.token);
#else
			ioc_end(K, D.load_id, D.mine);
#endif
			D.floor = (ok -> K.below : 0);
#endif
			clear(D.base);
			if
			:: ok && AFTER_END != LOOK -> D.at = AFTER_END
			:: else -> D.mine = 0; forget()
			fi
	}
	:: atomic { /* rule 5: the record that is to be lowered */
		D.at == GIVE && CAN_DRAW ->
			read_record(D.base, D.number);
			if
			:: D.base.token == D.mine && D.base.load_id == D.load_id &&
			   D.base.ceiling > D.floor ->
				DRAW(D.next.nonce);
				D.next.token = D.mine;
				D.next.load_id = D.load_id;
				D.next.ceiling = D.floor;
#ifdef WITHOUT_RULE_5_DELETE
				clear(D.next);
#endif
				D.at = LOWER
			:: else ->
				D.mine = 0;
				forget()
			fi
	}
	od
}

/* ------------------------------------------------------------------- world */

inline boot(h)
{
	new_load_id(kernel[h]);
	kernel[h].closed = false;
	kernel[h].token = 0;
	kernel[h].is = 0;
	kernel[h].number = 0;
	kernel[h].floor = 0;
	kernel[h].ceiling = 0;
	kernel[h].below = 0;
#ifndef TRUST_DISK
	/* Else the saved state of kuid(1) gives the floor for the kernel's own IDs. */
	kernel[h].passed = false;
#endif
#if INTERVALS > 1
	if
	:: kernel[h].interval = 0
	:: kernel[h].interval = 1
	fi
#endif
}

inline kill_daemons(h)
{
	i = 0;
	do
	:: i < DAEMONS ->
		daemon[h * DAEMONS + i].at = LOOK;
		daemon[h * DAEMONS + i].unsure = false;
		daemon[h * DAEMONS + i].load_id = 0;
		daemon[h * DAEMONS + i].mine = 0;
		daemon[h * DAEMONS + i].number = 0;
		daemon[h * DAEMONS + i].floor = 0;
		clear(daemon[h * DAEMONS + i].base);
		clear(daemon[h * DAEMONS + i].next);
		i++
	:: else -> break
	od
}

inline copy_machine(g, h)
{
	kernel[g].load_id = kernel[h].load_id;
	kernel[g].closed = kernel[h].closed;
	kernel[g].token = kernel[h].token;
	kernel[g].is = kernel[h].is;
	kernel[g].number = kernel[h].number;
	kernel[g].floor = kernel[h].floor;
	kernel[g].ceiling = kernel[h].ceiling;
	kernel[g].below = kernel[h].below;
	kernel[g].passed = kernel[h].passed;
	i = 0;
	do
	:: i < DAEMONS ->
		daemon[g * DAEMONS + i].at = daemon[h * DAEMONS + i].at;
		daemon[g * DAEMONS + i].unsure = daemon[h * DAEMONS + i].unsure;
		daemon[g * DAEMONS + i].load_id = daemon[h * DAEMONS + i].load_id;
		daemon[g * DAEMONS + i].mine = daemon[h * DAEMONS + i].mine;
		daemon[g * DAEMONS + i].number = daemon[h * DAEMONS + i].number;
		daemon[g * DAEMONS + i].floor = daemon[h * DAEMONS + i].floor;
		COPY(daemon[g * DAEMONS + i].base, daemon[h * DAEMONS + i].base);
		COPY(daemon[g * DAEMONS + i].next, daemon[h * DAEMONS + i].next);
		i++
	:: else -> break
	od
}

proctype world()
{
end:	do
	:: false /* nothing, unless the configuration has more */
#if BOOTS
	:: atomic {
		boots < BOOTS ->
			boots++;
			to = 0;
			do
			:: to < HOSTS - CLONES - 1 -> to++
			:: break
			od;
			boot(to);
			kill_daemons(to)
	}
#endif
#if CLONES
	:: atomic { /* a machine is cloned; it may itself go on without being told */
		kernel[HOSTS - 1].load_id == 0 ->
			to = HOSTS - CLONES;
			do
			:: kernel[to].load_id -> to++
			:: else -> break
			od;
			from = 0;
			do
			:: from < to - 1 -> from++
			:: break
			od;
			copy_machine(to, from);
#ifdef DRAWS_ALIKE
			seed[to] = seed[from];
			draws[to] = draws[from];
#endif
#ifndef CLONES_UNSEEN
			kernel[to].closed = true;
			if
			:: kernel[from].closed = true
			:: skip
			fi
#endif
	}
#endif
#ifdef LATE_REQUESTS
	:: atomic { /* a late request gets to the store, which answers nobody; or it is lost */
		late ->
			if
			:: compare_and_swap(late_number, late_base, late_next)
			:: skip
			fi;
			late = false;
			late_number = 0;
			clear(late_base);
			clear(late_next)
	}
#endif
#ifdef WITHOUT_RULE_6
	:: atomic {
		!old_kept ->
			old_kept = true;
			old_host = 0;
			do
			:: old_host < HOSTS - 1 -> old_host++
			:: break
			od;
			COPY_FILE(old_file, file[old_host])
	}
	:: atomic { /* a machine is booted with a disk that was rolled back, or copied */
		old_kept && boots < BOOTS + 1 ->
			boots = BOOTS + 1;
			to = 0;
			do
			:: to < HOSTS - 1 -> to++
			:: break
			od;
			boot(to);
			kill_daemons(to);
			COPY_FILE(file[to], old_file)
	}
#endif
#ifdef RECOVER
	:: atomic { clock < SLOTS -> clock++ }
	:: atomic { /* a backup is made */
		!saved ->
			saved = true;
			for (i : 0 .. NUMBERS - 1) {
				COPY(backup[i], store[i])
			}
#ifdef BY_REVISION
			backup_revision = revision
#endif
	}
	:: atomic { /* and restored, and then kuid-claim --recover is run */
		saved && !restored ->
			restored = true;
			for (i : 0 .. NUMBERS - 1) {
				COPY(store[i], backup[i])
			}
#ifdef BY_REVISION
			revision = backup_revision;
#endif
			space_closed = clock + HORIZON + RECOVER_SKEW
	}
#endif
	od
}

init {
	atomic {
		do
		:: watched_number < NUMBERS - 1 -> watched_number++
		:: break
		od;
		do
		:: watched_slot < SLOTS - 1 -> watched_slot++
		:: break
		od;
		for (i : 0 .. HOSTS - CLONES - 1) {
			boot(i);
#ifdef DRAWS_ALIKE
			seed[i] = i
#endif
		}
		for (i : 0 .. HOSTS * DAEMONS - 1) {
			daemon[i].at = LOOK;
			run daemon_of(i)
		}
		for (i : 0 .. HOSTS - 1) {
			run kernel_of(i)
		}
		run world()
	}
}
