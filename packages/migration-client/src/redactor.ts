/** Makes the function that takes the token and the unshown parts of the URL out of a text. */
export function redactor(secrets: { token: string; url: string; shownUrl: string }): (text: string) => string {
  const { token, url, shownUrl } = secrets;
  // The URL first: it may hold the token, and would not be found any more afterwards.
  return (text) => text.replaceAll(url, shownUrl).replaceAll(token, "[token]");
}
