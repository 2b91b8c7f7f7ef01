/**
 * What a {@link HandoverClient} tells its listeners. No event holds the token or a payload.
 *
 * | type | when |
 * | --- | --- |
 * | `connecting` | an attempt to reach the worker begins |
 * | `connected` | the worker has acknowledged this instance |
 * | `reconnecting` | a connection or an attempt has ended, and the next one follows after `afterMs` milliseconds |
 * | `phase` | this instance is asked to do its part in a phase of a handover; `commit`: the target has taken over for good |
 * | `aborted` | a handover in which this instance took part has ended without success |
 * | `closed` | the client is closed for good: nothing follows |
 */
export type HandoverEvent =
  | ConnectionEvent
  | {
      readonly type: "phase";
      readonly phase: "propose" | "ready" | "stop" | "apply" | "commit";
      readonly migrationId: string;
    }
  | { readonly type: "aborted"; readonly migrationId: string; readonly reason: string };

/** What happens to the connection. */
export type ConnectionEvent =
  | { readonly type: "connecting"; /** Without user info and query. */ readonly url: string }
  | {
      readonly type: "connected";
      readonly role: "source" | "target";
      /** Version of the protocol that both speak. */
      readonly protocol: 1 | 2;
      /** As `epoch` of the client. */
      readonly epoch: number | undefined;
    }
  | { readonly type: "reconnecting"; readonly afterMs: number; readonly reason: string }
  | { readonly type: "closed"; readonly reason: string };

/** Takes the events of a client, in order. What it throws is logged. */
export type HandoverEventListener = (event: HandoverEvent) => void;
