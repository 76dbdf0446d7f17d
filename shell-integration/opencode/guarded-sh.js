// guarded-sh in opencode: asks `guarded-sh hook opencode` before each tool, and throws what it says where it refuses.
// It has no rules of its own. Where the program is missing, breaks or does not answer in time, nothing runs.
// To be put into ~/.config/opencode/plugins/. GUARDED_SH_PROGRAM names the program where it is not on PATH.
import { spawn } from "node:child_process";

const PROGRAM = process.env.GUARDED_SH_PROGRAM || "guarded-sh";
// What decides may wait for a person, who has a quarter of it.
const DECIDES_SECONDS = 300;
const TOLD_SECONDS = 20;
// What a tool printed is looked at from its end.
const PRINTED = 65536;

/** Sends one event; resolves to what comes of it: a refusal, or another input for the tool, or neither. */
const ask = (event, limit = TOLD_SECONDS) =>
  new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", "opencode", "--limit", String(limit)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    let said = "";
    let changed = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve({ refusal: "guarded-sh: refused: no answer in time" });
    }, limit * 1000);
    const end = (refusal, change) => {
      clearTimeout(timer);
      resolve({ refusal, change });
    };
    child.on("error", (error) => end(`guarded-sh: refused: '${PROGRAM}' cannot be run: ${error.message}`));
    child.on("close", (status) => {
      if (status !== 0) return end(said.trim() || `guarded-sh: refused: it ended with ${status}`);
      try {
        end(undefined, changed.trim() ? JSON.parse(changed) : undefined);
      } catch {
        end("guarded-sh: refused: it said what is no answer");
      }
    });
    child.stdout.on("data", (bytes) => (changed += bytes));
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
  // What the model is told of a call that a person changed, by the call's id.
  const notes = new Map();
  // Its settings, which other plugins may still change; until they are told, the hook takes several shells for possible.
  let settings;
  const shell = () => settings && (typeof settings.shell === "string" ? settings.shell : "");
  const about = (event, sessionID, more) => ({ event, sessionID, pid: process.pid, cwd: directory, shell: shell(), ...more });
  return {
    config: async (config) => {
      settings = config;
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const { args } = output;
      const event = about("tool.execute.before", sessionID, { callID, tool, args: args ?? {} });
      const { refusal, change } = await ask(event, DECIDES_SECONDS);
      if (refusal) {
        show(client, refusal);
        throw new Error(refusal);
      }
      if (!change) return;
      Object.assign(args, change.args);
      notes.set(callID, change.note);
      show(client, change.note);
    },
    // Nothing waits for what came of it; what there is to say of it is added to what the model reads.
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const printed = String(output.output ?? "").slice(-PRINTED);
      const event = about("tool.execute.after", sessionID, { callID, tool, args: args ?? {}, output: printed });
      const { change } = await ask(event);
      const said = [notes.get(callID), change?.note].filter(Boolean);
      notes.delete(callID);
      if (said.length) output.output = [output.output ?? "", ...said].join("\n");
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
