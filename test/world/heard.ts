/** Calls whose response can be lost. */

/**
 * The response of a call. The platform can respond to a large request before all of it is sent, and the
 * client can miss the response. In that case the request is sent again, after a pause.
 */
export async function heard<T>(call: () => Promise<T>, tries = 12): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { code = "" } = (error as { cause?: { code?: string } }).cause ?? {};
    if (tries === 1 || !["EPIPE", "ECONNRESET"].includes(code)) throw error;
    await new Promise((done) => setTimeout(done, 50));
    return heard(call, tries - 1);
  }
}
