/** What a worker calls itself in `hello-ack`. */
export const WORKER_NAME = "@changeover/migration-worker/0.0.0";
