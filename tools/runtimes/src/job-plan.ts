/** The variable in which a job finds its {@link JobPlan} as JSON. */
export const JOB_PLAN_ENV = "JOB_PLAN";

/** What a case wants of the job. */
export interface JobPlan {
  readonly reconnectMinMs?: number;
  readonly reconnectMaxMs?: number;
  /** Writes a position every few milliseconds while it is active. */
  readonly writes?: boolean;
  /** What it answers to `get-state`: its position unless said otherwise. */
  readonly state?: "refusal" | "bigint" | { readonly chars: number };
  /** A target reports that it is ready, with a payload of so many characters, as soon as it knows that it is one. */
  readonly readyChars?: number;
  /** A target takes over and does not say so. */
  readonly isMute?: boolean;
  /** Lets the process end when nothing else keeps it alive. */
  readonly unref?: boolean;
  /** Closes the client as soon as a line of its log contains this. */
  readonly closeOn?: string;
}

/** What a job tells, a line of JSON each. */
export type JobEvent =
  | { readonly type: "start"; readonly hasWebSocket: boolean }
  | { readonly type: "log"; readonly line: string }
  | { readonly type: "ready"; readonly role: string }
  | { readonly type: "call"; readonly handler: string; readonly migrationId: string; readonly epoch?: number }
  | { readonly type: "wrote"; readonly position: number };
