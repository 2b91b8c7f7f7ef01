/** Makes the function that takes the token and the unshown parts of the URL out of a text. */
export function redactor(secrets: { token: string; url: string; shownUrl: string }): (text: string) => string {
  const { token, url, shownUrl } = secrets;
  // Sockets write the URL in its normal form, which differs from what was given.
  const { href } = new URL(url);
  // A URL that hides nothing may be a part of what is shown (`ws://host` of `ws://host/`) and is left as it is.
  const hiding = href === shownUrl ? [] : [href, url];
  // The URL first: it may hold the token, and would not be found any more afterwards.
  return (text) => hiding.reduce((rest, each) => rest.replaceAll(each, shownUrl), text).replaceAll(token, "[token]");
}
