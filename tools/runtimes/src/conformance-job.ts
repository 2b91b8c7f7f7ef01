import { startConformanceJob } from "@changeover/example-conformance-job";
import { pageEnvironment } from "./page-environment.js";

// The job of a conformance run, the same on every runtime.
startConformanceJob(pageEnvironment ?? process.env);
