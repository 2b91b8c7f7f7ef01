import { connectMigration } from "../../../migration-client/dist/index.js";

await connectMigration({}).ready;
process.exit();
