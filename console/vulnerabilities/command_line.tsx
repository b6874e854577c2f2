/** The same question on the command line. */
import { CopyLine } from "../elements/copy.tsx";

/** Nothing if there is no such command. */
export function CommandLine({
  command,
  question,
}: {
  command: string | undefined;
  question: "question" | "search";
}) {
  if (command === undefined) return null;
  return (
    <>
      <p class="pale">The same {question} on the command line:</p>
      <CopyLine text={command} what="command" />
    </>
  );
}
