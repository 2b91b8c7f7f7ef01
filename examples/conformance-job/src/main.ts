import { startConformanceJob } from "./conformance-job.js";

startConformanceJob(process.env);
