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
  return { queries, answers, shown };
}

test("a first read that a change overtakes is asked again, and its late answer does not show", async () => {
  const { queries, answers, shown } = shownQuery();
  const refreshed = queries.invalidateQueries({ queryKey: ["tags"] });
  await expect.poll(() => answers.length).toBe(2);
  answers[0]?.("before the change");
  answers[1]?.("after the change");
  await refreshed;
  expect(shown()).toBe("after the change");
});

test("a second read that a change overtakes is asked again, and the page keeps what it shows", async () => {
  const { queries, answers, shown } = shownQuery();
  answers[0]?.("long before");
  await expect.poll(shown).toBe("long before");
  void queries.invalidateQueries({ queryKey: ["tags"] });
  await expect.poll(() => answers.length).toBe(2);
  const refreshed = queries.invalidateQueries({ queryKey: ["tags"] });
  await expect.poll(() => answers.length).toBe(3);
  expect(shown()).toBe("long before");
  answers[1]?.("before the change");
  answers[2]?.("after the change");
  await refreshed;
  expect(shown()).toBe("after the change");
});

test("a change elsewhere leaves a first read alone", async () => {
  const { queries, answers, shown } = shownQuery();
  await queries.invalidateQueries({ queryKey: ["groups"] });
  answers[0]?.("the rows");
  await expect.poll(shown).toBe("the rows");
  expect(answers).toHaveLength(1);
});
