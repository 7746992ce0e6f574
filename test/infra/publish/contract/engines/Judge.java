import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges texts by patterns with {@link Matcher#find()}.
 *
 * Reads base64 lines: {@code p} and a pattern, or {@code t} and a text for the last pattern. Prints a line of {@code 1}
 * and {@code 0} per pattern.
 */
class Judge {
  public static void main(String[] arguments) throws Exception {
    var verdicts = new StringBuilder();
    Matcher matcher = null;
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line; (line = lines.readLine()) != null; ) {
      var value = new String(Base64.getDecoder().decode(line.substring(1)), StandardCharsets.UTF_8);
      if (line.charAt(0) == 't') {
        verdicts.append(matcher.reset(value).find() ? '1' : '0');
      } else {
        if (matcher != null) verdicts.append('\n');
        matcher = Pattern.compile(value).matcher("");
      }
    }
    System.out.println(verdicts);
  }
}
