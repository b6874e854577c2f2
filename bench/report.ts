/** What a run says on standard output, and whether all of it was within bounds. */
import { type Cell, tableText } from "./table.ts";

/** Prints as it goes; `failures` are what was out of bounds. */
export class Report {
  readonly failures: string[] = [];
  readonly #markdown: boolean;

  constructor(markdown: boolean) {
    this.#markdown = markdown;
  }

  /** `ok`, or FAIL with the reasons, which are remembered under the name of what was measured. */
  verdict(reasons: string[], what: string): string {
    if (reasons.length === 0) return "ok";
    const text = reasons.join(", ");
    this.failures.push(`${what}: ${text}`);
    return `FAIL ${text}`;
  }

  table(title: string, head: string[], rows: Cell[][]): void {
    console.log(
      `\n${this.#markdown ? "### " : ""}${title}\n\n${tableText(head, rows, this.#markdown)}`,
    );
  }

  line(text: string): void {
    console.log(`\n${text}`);
  }
}
