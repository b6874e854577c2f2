/** Shows that calls wait for a rate limit of the platform, and for how long. */
import { useEffect, useState } from "preact/hooks";
import { onWait } from "../data/rate_limit_waits.ts";

/** Returns nothing while no call waits. */
export function WaitBar() {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(Date.now);
  useEffect(
    () =>
      onWait((end) => {
        setNow(Date.now());
        setUntil(end);
      }),
    [],
  );
  useEffect(() => {
    if (until === 0) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) setUntil(0);
    }, 1_000);
    return () => clearInterval(timer);
  }, [until]);
  if (until <= now) return null;
  return (
    <p class="offline" role="status">
      You have made many calls, and the platform asks to wait.{" "}
      {/* A screen reader would read each second. */}
      <span aria-hidden="true">The page continues in {Math.ceil((until - now) / 1000)} s.</span>
    </p>
  );
}
