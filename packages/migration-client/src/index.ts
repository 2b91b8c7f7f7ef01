export type { Clock } from "./clock.js";
export { connectMigration } from "./connect-migration.js";
export type { MigrationEnv } from "./job-environment.js";
export { MigrationClientError, type MigrationClientErrorCode } from "./migration-client-error.js";
export type { MigrationClientOptions } from "./migration-client-options.js";
export type { MigrationClient, MigrationRole } from "./migration-client.js";
export type { HandlerContext, MigrationHandlers } from "./migration-handlers.js";
export { isStateRefusal, stateRefusal, type StateRefusal } from "./state-refusal.js";
export type { WebSocketConstructor, WebSocketEventLike, WebSocketLike } from "./web-socket.js";
