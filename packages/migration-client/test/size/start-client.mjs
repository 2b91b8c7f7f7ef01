import { connectMigration } from "@changeover/migration-client";

await connectMigration({}).ready;
process.exit();
