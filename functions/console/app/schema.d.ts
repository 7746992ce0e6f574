/** Types of the API, generated from docs/console.openapi.json by openapi-typescript. Do not edit. */

export interface paths {
    "/console/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns who is signed in, and the acquirers as which they may act. Roles of people: `viewer`, `operator`, `admin`.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Ends the session, or with `everywhere=true` all sessions of the person. Other processes may accept them for 30 seconds. Roles of people: `viewer`, `operator`, `admin`.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns the API keys of the acquirer that have not ended, the oldest first, without the keys themselves. Roles of people: `admin`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Creates an API key. It is shown only in this response, and works at once. An acquirer has at most 20 keys, with those that a rotation has not ended yet. Roles of people: `admin`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Creates a successor with the same label and role. The earlier key works for `overlap_hours` more, so that you can switch without an outage; with 0 it ends at once. Roles of people: `admin`.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Ends an API key within 30 seconds. Roles of people: `admin`.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description Returns the people of the acquirer and its open invitations, the oldest first. Roles of people: `admin`.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person
         * @description Makes an invitation for 7 days. No mail is sent: hand over the link. Only a person whose issuer states that this address is theirs and verified can accept it. An earlier invitation of the address is revoked. Roles of people: `admin`.
         */
        post: operations["invitePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Ends an open invitation. Roles of people: `admin`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/people/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a person
         * @description Removes a person from the people of the acquirer, within 30 seconds. Events no longer show their name. An acquirer keeps at least one admin. Roles of people: `admin`.
         */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        /**
         * Change the role of a person
         * @description Changes what a person may do, within 30 seconds. An acquirer keeps at least one admin. Roles of people: `admin`.
         */
        patch: operations["changePerson"];
        trace?: never;
    };
    "/console/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search terminals and branches
         * @description Finds terminals and branches by one text, for a search box. A terminal is found by its `tid`, `terminal_id` or `serial_no`; a branch by its MID, or by words as in the list of branches. Identifiers must be complete. If nothing has an identifier as it is typed, the one in capitals is tried. A text that nothing matches finds nothing. If all words are very common, branches can be missing, and the warning `too_many_matches` says so. Roles of people: `viewer`, `operator`, `admin`.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List activity
         * @description Returns events, the newest first: of all branches and terminals that are accessible to you or, with `mid` or `tid`, those of the history of a branch or terminal. An event of the last 25 seconds is included at once, and an earlier one can still appear after it. For the next page, send `meta.next` as `before`; it is `null` at the end. A page can have fewer events than `limit`, or none, although there are more. Roles of people: `viewer`, `operator`, `admin`.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ApiKey: {
            /** @description Id of the key. */
            key_id: string;
            /** @description Your name for the key. It is in events and logs. */
            label: string;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            role: "till" | "viewer" | "operator" | "full";
            /**
             * Format: date-time
             * @description When the key was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was last used, at most two hours late; `null` if no use is recorded.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When the key ends, after a rotation; otherwise `null`.
             */
            expires_at: string | null;
        };
        CreatedApiKey: {
            /** @description Id of the key. */
            key_id: string;
            /** @description Your name for the key. It is in events and logs. */
            label: string;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            role: "till" | "viewer" | "operator" | "full";
            /**
             * Format: date-time
             * @description When the key was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key ends, after a rotation; otherwise `null`.
             */
            expires_at: string | null;
            /** @description The key itself. It is never shown again. */
            api_key: string;
        };
        RotatedApiKey: {
            /** @description Id of the key. */
            key_id: string;
            /** @description Your name for the key. It is in events and logs. */
            label: string;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            role: "till" | "viewer" | "operator" | "full";
            /**
             * Format: date-time
             * @description When the key was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key ends, after a rotation; otherwise `null`.
             */
            expires_at: string | null;
            /** @description The key itself. It is never shown again. */
            api_key: string;
            /** @description The earlier key, and when it ends; `null` if it has ended. */
            rotated: {
                key_id: string;
                /** Format: date-time */
                expires_at: string | null;
            };
        };
        Person: {
            /**
             * Format: uuid
             * @description UUID of the person. It stays when name and address change.
             */
            id: string;
            /** @description Name, as of the last sign-in. */
            name: string;
            /** @description Address, as of the last sign-in; `null` if the issuer states none. */
            email: string | null;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When the person accepted the invitation (RFC 3339, UTC).
             */
            joined_at: string;
            /**
             * Format: date-time
             * @description When the person last signed in (RFC 3339, UTC).
             */
            signed_in_at: string;
        };
        Invitation: {
            /**
             * Format: uuid
             * @description UUID of the invitation.
             */
            id: string;
            /** @description The address that the invited person must have, in lower case. */
            email: string;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When the person was invited (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the invitation ends (RFC 3339, UTC).
             */
            expires_at: string;
        };
        CreatedInvitation: {
            /**
             * Format: uuid
             * @description UUID of the invitation.
             */
            id: string;
            /** @description The address that the invited person must have, in lower case. */
            email: string;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When the person was invited (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the invitation ends (RFC 3339, UTC).
             */
            expires_at: string;
            /**
             * Format: uri
             * @description The link to hand over. It opens nothing without a verified address.
             */
            link: string;
        };
        People: {
            people: components["schemas"]["Person"][];
            invitations: components["schemas"]["Invitation"][];
        };
        Found: {
            /** @description Terminals with this `tid`, `terminal_id` or `serial_no`. */
            terminals: components["schemas"]["FoundTerminal"][];
            /** @description The branch with this MID, then the newest of those with these words. */
            branches: components["schemas"]["ListedBranch"][];
            /**
             * Format: int32
             * @description How many branches match. The list of branches has all of them.
             */
            total_branches: number;
        };
        FoundTerminal: {
            /**
             * Format: uuid
             * @description TID: the UUID that identifies the terminal in operations.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
            /** @description Serial number, unique if present. */
            serial_no: string | null;
            /** @description Model of the terminal. */
            terminal_model: string | null;
            /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
            payment_app: string | null;
            /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
            acquirer_name: string | null;
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /**
             * @description Whether the terminal is archived, by itself or with its branch.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, or was archived or restored with its branch (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /** @description Why it was archived. */
            archive_reason: string | null;
            /** @description The branch that the terminal is in. */
            branch: components["schemas"]["BranchSummary"];
        };
        BranchSummary: {
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description City of the branch. */
            city: string | null;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
        };
        Activity: {
            events: components["schemas"]["Event"][];
            /** @description The branches that the events mention, as they are now. Those that are not accessible to you are left out. */
            branches: components["schemas"]["BranchSummary"][];
        };
        HistoryMeta: {
            /** @description Cursor of the next page; `null` at the end. */
            next: string | null;
        };
        Event: {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.created";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["CreatedBranch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.updated";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.archived";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.restored";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminals.created";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"][];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.updated";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.archived";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.restored";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.reassigned";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.deleted";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["DeletedTerminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.left";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["DeletedTerminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.joined";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        };
        ListedBranch: {
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it, or how many terminals it has, last changed (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
        };
        Branch: {
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it, or how many terminals it has, last changed (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /**
             * Format: uuid
             * @description UUID of the master merchant: the business that owns the branch.
             */
            existing_master_merchant: string;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             */
            payment_provider: string;
            /**
             * Format: uuid
             * @description UUID of the distributor. A payment provider may name one of its partners.
             */
            distributor: string | null;
            /**
             * Format: int32
             * @description How many terminals the branch has.
             */
            terminal_count: number;
        };
        CreatedBranch: {
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it, or how many terminals it has, last changed (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /**
             * Format: uuid
             * @description UUID of the master merchant: the business that owns the branch.
             */
            existing_master_merchant: string;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             */
            payment_provider: string;
            /**
             * Format: uuid
             * @description UUID of the distributor. A payment provider may name one of its partners.
             */
            distributor: string | null;
            /**
             * Format: int32
             * @description How many terminals the branch has.
             */
            terminal_count: number;
            /** @description Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within the request. */
            terminals: components["schemas"]["Terminal"][];
        };
        Terminal: {
            /**
             * Format: uuid
             * @description TID: the UUID that identifies the terminal in operations.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
            /** @description Serial number, unique if present. */
            serial_no: string | null;
            /** @description Model of the terminal. */
            terminal_model: string | null;
            /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
            payment_app: string | null;
            /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
            acquirer_name: string | null;
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /**
             * @description Whether the terminal is archived, by itself or with its branch.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, or was archived or restored with its branch (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /** @description Why it was archived. */
            archive_reason: string | null;
        };
        DeletedTerminal: {
            /**
             * Format: uuid
             * @description TID: the UUID that identifies the terminal in operations.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
        };
        FieldWarning: {
            /** @description JSON Pointer (RFC 6901) to the field in the request body. */
            pointer: string;
            code: "unknown_field" | "incomplete" | (string & {});
            detail: string;
        };
        ParameterWarning: {
            /** @description Name of the query parameter. */
            parameter: string;
            code: "unknown_parameter" | "incomplete" | "too_many_matches" | (string & {});
            detail: string;
        };
        Problem: {
            /**
             * Format: uri
             * @description URL of the documentation of this code.
             */
            type: string;
            /** @description What the code means. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description What to change. */
            detail: string;
            /** @description One code per cause: insufficient_permission, rate_limited, invalid_query, body_too_large, malformed_json, validation_failed, not_found, server_error, invalid_session, ambiguous_credentials, sign_in_again, last_admin. Codes never change; later versions may add others. */
            code: "insufficient_permission" | "rate_limited" | "invalid_query" | "body_too_large" | "malformed_json" | "validation_failed" | "not_found" | "server_error" | "invalid_session" | "ambiguous_credentials" | "sign_in_again" | "last_admin" | (string & {});
            /** @description Id of the request, as in `X-Request-Id`. */
            request_id: string;
            /** @description All field errors. */
            errors?: {
                /** @description JSON Pointer (RFC 6901) to the field in the request body. */
                pointer: string;
                /** @description Code of the field error. Codes never change; later versions may add others. */
                code: "required" | "invalid_type" | "invalid_format" | "too_long" | "too_small" | "too_large" | "card_number" | "api_key" | "rotated" | "disabled" | (string & {});
                /** @description What to change. */
                detail: string;
            }[];
        };
    };
    responses: {
        /** @description Too many requests; nothing was executed. If the body is a problem, you exceeded your rate limit: retry after `Retry-After`. If it only has a `message`, all callers together exceeded the limit of the gateway: retry with exponential backoff. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description UUID of the acquirer as which the person acts. Pages of other origins cannot send it.
         * @example 5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11
         */
        "Acting-As": string;
        /** @description The person acts as no acquirer. Pages of other origins cannot send it. */
        "Acting-As-None": "none";
    };
    requestBodies: never;
    headers: {
        /** @description Id of the request. Quote it when you contact support. */
        "X-Request-Id": string;
        /** @description Your limit: the requests in each window of `w` seconds can weigh `q` in total (draft-ietf-httpapi-ratelimit-headers-10). Absent if you have no limit. */
        "RateLimit-Policy": string;
        /** @description A weight of about `r` is left in this window; the next window starts in `t` seconds. */
        RateLimit: string;
        /** @description Seconds to wait before a retry. Absent if a retry cannot succeed. */
        "Retry-After": number;
        /** @description URL of the created resource. */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            person: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                                email: string | null;
                            };
                            /** @description The acquirers as which the person may act, by name. */
                            acquirers: {
                                /**
                                 * Format: uuid
                                 * @description UUID of the acquirer: send it as `Acting-As`.
                                 */
                                id: string;
                                /** @enum {string} */
                                type: "DISTRIBUTOR" | "PAYMENT_PROVIDER";
                                name: string;
                                /**
                                 * @description What the person may do as this acquirer.
                                 * @enum {string}
                                 */
                                role: "viewer" | "operator" | "admin";
                                /** @description What the role permits. */
                                permissions: ("read" | "change" | "delete" | "check_members" | "administer")[];
                            }[];
                            /**
                             * Format: date-time
                             * @description When the person last signed in at the issuer; `null` if it does not say.
                             */
                            authenticated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the session ends at the latest (RFC 3339, UTC). It ends after 30 minutes without use.
                             */
                            ends_at: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    signOut: {
        parameters: {
            query?: {
                /** @description With `true`, all sessions of the person end. */
                everywhere?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            person: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Your name for the key. It is in events and logs. */
                    label: string;
                    /** @description What the key may do. */
                    role: string;
                };
            };
        };
        responses: {
            /** @description The key was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedApiKey"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error; Body too large; Malformed JSON */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key to replace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: int32
                     * @description For how many more hours the earlier key works.
                     */
                    overlap_hours: number;
                };
            };
        };
        responses: {
            /** @description The successor was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RotatedApiKey"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error; Body too large; Malformed JSON */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key was revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            key_id: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    listPeople: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description People and invitations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["People"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    invitePerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @description The address that the invited person must have. Capitals do not matter.
                     */
                    email: string;
                    /** @description What the person may do. */
                    role: string;
                };
            };
        };
        responses: {
            /** @description The invitation was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedInvitation"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error; Body too large; Malformed JSON */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the invitation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            id: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    removePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person was removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            id: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Last admin; Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    changePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the person may do. */
                    role: string;
                };
            };
        };
        responses: {
            /** @description The role was changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Person"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Last admin; Ambiguous credentials; Server error; Body too large; Malformed JSON */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    search: {
        parameters: {
            query: {
                /** @description Text to search for. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Found"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description TID of a terminal. */
                tid?: string;
                /** @description MID of a branch. */
                mid?: string;
                /** @description Cursor before which to start: `meta.next` of an earlier response. By default, the newest event. */
                before?: string;
                /** @description Maximum number of events to return. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events, and the branches that they mention. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"];
                        meta: components["schemas"]["HistoryMeta"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
}
