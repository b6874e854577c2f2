/**
 * The steps of a check. They run a few at a time and are reported in order. Tools that run scripts in parallel know
 * only commands, but some of these steps are functions. The output of each step stays together.
 */

/** How a step ended. `text` is shown if it failed, `notes` always. */
export type StepOutcome = { passed: boolean; text?: string; notes?: string[] };

/** A named step. A step that throws has failed. */
export type Step = { name: string; run(): Promise<StepOutcome> | StepOutcome };

/** Runs every step, `width` at a time, and reports them in order. Returns the names of those that failed. */
export async function runSteps(
  steps: Step[],
  width: number,
  print: (text: string) => void,
): Promise<string[]> {
  const waiting = steps.map((step) => ({ step, report: Promise.withResolvers<StepReport>() }));
  const queue = [...waiting];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      next.report.resolve(await runTimed(next.step));
    }
  };
  const workers = Array.from({ length: width }, work);
  const failed: string[] = [];
  for (const { step, report } of waiting) {
    const { passed, text } = await report.promise;
    print(text);
    if (!passed) failed.push(step.name);
  }
  await Promise.all(workers);
  return failed;
}

type StepReport = { passed: boolean; text: string };

async function runTimed({ name, run }: Step): Promise<StepReport> {
  const start = performance.now();
  const { passed, text = "", notes = [] } = await runCaught(run);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const lines = passed ? notes : [...notes, ...text.trim().split("\n")];
  const head = `${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`;
  return { passed, text: [head, ...lines.map((line) => `       ${line}`)].join("\n") };
}

async function runCaught(run: Step["run"]): Promise<StepOutcome> {
  try {
    return await run();
  } catch (thrown) {
    return { passed: false, text: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
