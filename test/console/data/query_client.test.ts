/** What the console has read, after a change. */
import { QueryObserver } from "@tanstack/preact-query";
import { expect, onTestFinished, test } from "vitest";
import { newQueryClient } from "../../../console/data/query_client.ts";

/** A query on a page. Each of its reads waits for its answer. */
function shownQuery() {
  const queries = newQueryClient();
  const answers: ((rows: string) => void)[] = [];
  const observer = new QueryObserver<string>(queries, {
    queryKey: ["tags", "rows"],
    queryFn: () => new Promise((resolve) => answers.push(resolve)),
  });
  onTestFinished(observer.subscribe(() => {}));
  const shown = () => observer.getCurrentResult().data;
  /** A change ends during the last read. Returns what the page shows before the answers come. */
  const change = async () => {
    const next = answers.length;
    const refreshed = queries.invalidateQueries({ queryKey: ["tags"] });
    await expect.poll(() => answers.length).toBe(next + 1);
    const meanwhile = shown();
    answers[next - 1]?.("before the change");
    answers[next]?.("after the change");
    await refreshed;
    return meanwhile;
  };
  return { queries, answers, shown, change };
}

test("what loads for the first time during a change is read again, and the old answer does not show", async () => {
  const { shown, change } = shownQuery();
  expect(await change()).toBeUndefined();
  expect(shown()).toBe("after the change");
});

test("what loads again during a change is read again, and the page keeps what it shows until then", async () => {
  const { queries, answers, shown, change } = shownQuery();
  answers[0]?.("long before");
  await expect.poll(shown).toBe("long before");
  void queries.invalidateQueries({ queryKey: ["tags"] });
  await expect.poll(() => answers.length).toBe(2);
  expect(await change()).toBe("long before");
  expect(shown()).toBe("after the change");
});

test("a refresh reads only the queries of its predicate again, and leaves other first reads alone", async () => {
  const { queries, answers, shown } = shownQuery();
  await queries.invalidateQueries({ queryKey: ["tags"], predicate: () => false });
  answers[0]?.("the rows");
  await expect.poll(shown).toBe("the rows");
  expect(answers).toHaveLength(1);
});

test("a change of something else leaves a first read alone", async () => {
  const { queries, answers, shown } = shownQuery();
  await queries.invalidateQueries({ queryKey: ["groups"] });
  answers[0]?.("the rows");
  await expect.poll(shown).toBe("the rows");
  expect(answers).toHaveLength(1);
});
