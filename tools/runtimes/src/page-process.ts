import { DevTools } from "./dev-tools.js";
import { openPage } from "./open-page.js";

// A page of a running browser as a process: its environment is the page's, what the page says goes to standard error,
// and each ends with the other.
const [browser = "", url = ""] = process.argv.slice(2);
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && /^(NORSK|CONFORMANCE)_/.test(name) ? [[name, value]] : [],
  ),
);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const devTools = await DevTools.connect(browser);
const page = openPage(devTools, url, env, { line: say, complaint: say });
process.once("SIGTERM", () => void page.then(({ remove }) => remove()));
const { reason } = await (await page).gone;
devTools.close();
process.exitCode = reason === "crashed" ? 1 : 0;
