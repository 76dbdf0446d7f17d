// guarded-sh in opencode: asks `guarded-sh hook opencode` before each tool, and throws what it says where it refuses.
// It has no rules of its own. Where the program is missing, breaks or does not answer in time, nothing runs.
// To be put into ~/.config/opencode/plugins/. GUARDED_SH_PROGRAM names the program where it is not on PATH.
import { spawn } from "node:child_process";

const PROGRAM = process.env.GUARDED_SH_PROGRAM || "guarded-sh";
// What decides may wait for a person, who has a quarter of it.
const DECIDES_SECONDS = 300;
const TOLD_SECONDS = 20;

/** Sends one event; resolves to the refusal, or to nothing. */
const ask = (event, limit = TOLD_SECONDS) =>
  new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", "opencode", "--limit", String(limit)], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    let said = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve("guarded-sh: refused: no answer in time");
    }, limit * 1000);
    const end = (refusal) => {
      clearTimeout(timer);
      resolve(refusal);
    };
    child.on("error", (error) => end(`guarded-sh: refused: '${PROGRAM}' cannot be run: ${error.message}`));
    child.on("close", (status) => {
      end(status === 0 ? undefined : said.trim() || `guarded-sh: refused: it ended with ${status}`);
    });
    child.stderr.on("data", (bytes) => (said += bytes));
    // One that ends early has said why.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });

/** Says on the screen what is refused: opencode shows the bare command. Where there is no screen, nobody misses it. */
const show = (client, message) => {
  try {
    const shown = client?.tui?.showToast?.({ body: { title: "guarded-sh", message, variant: "warning", duration: 10000 } });
    shown?.catch?.(() => {});
  } catch {}
};

export const GuardedSh = async ({ client, directory }) => {
  const about = (event, sessionID, more) => ({ event, sessionID, pid: process.pid, cwd: directory, ...more });
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const event = about("tool.execute.before", sessionID, { callID, tool, args: args ?? {} });
      const refusal = await ask(event, DECIDES_SECONDS);
      if (!refusal) return;
      show(client, refusal);
      throw new Error(refusal);
    },
    // What came of it is only told: nothing waits for it.
    "tool.execute.after": async ({ tool, sessionID, callID, args }) => {
      await ask(about("tool.execute.after", sessionID, { callID, tool, args: args ?? {} }));
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const text = (parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n");
      await ask(about("chat.message", sessionID, { text }));
    },
    event: async ({ event }) => {
      if (event.type === "session.created" || event.type === "session.deleted") {
        await ask(about(event.type, event.properties?.info?.id, {}));
      }
    },
  };
};
