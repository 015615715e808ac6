package tpcc.procedures;

import com.oltpbenchmark.api.Procedure;
import java.sql.Connection;
import java.sql.SQLException;

/** What the five transactions have in common. */
public abstract class TpccProcedure extends Procedure {

  public abstract Object run(Connection conn, int warehouse, int district, Terminal terminal)
      throws SQLException;
}
