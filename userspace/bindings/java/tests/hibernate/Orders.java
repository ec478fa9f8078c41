// SPDX-License-Identifier: MIT

package kuid;

import java.io.Serializable;
import java.util.UUID;
import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.Id;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.SessionImplementor;
import org.hibernate.id.IdentifierGenerator;

/** Saves and loads a row by Hibernate: one INSERT, one SELECT, and one ID. */
@Entity
public class Orders {
    /** As README has it, but that its interface has moved in later versions. */
    public static final class Ids implements IdentifierGenerator {
        static int made;

        @Override
        public Serializable generate(SessionImplementor session, Object row) {
            made++;
            return Kuid.uuid7();
        }
    }

    @Id
    @GeneratedValue(generator = "kuid")
    @GenericGenerator(name = "kuid", strategy = "kuid.Orders$Ids")
    @Type(type = "uuid-char")
    private UUID id;

    public static void main(String[] args) {
        SessionFactory factory = new Configuration().addAnnotatedClass(Orders.class)
                .setProperty("hibernate.connection.url", "jdbc:hsqldb:mem:orders")
                .setProperty("hibernate.dialect", "org.hibernate.dialect.HSQLDialect")
                .setProperty("hibernate.hbm2ddl.auto", "create")
                .setProperty("hibernate.generate_statistics", "true").buildSessionFactory();
        Session session = factory.openSession();
        Orders saved = new Orders();
        session.beginTransaction();
        session.save(saved);
        session.getTransaction().commit();
        session.clear();
        long inserts = factory.getStatistics().getPrepareStatementCount();
        Orders loaded = (Orders) session.get(Orders.class, saved.id);
        System.out.printf("%s %b %d %d %d%n", saved.id, loaded.id.equals(saved.id), inserts,
                factory.getStatistics().getPrepareStatementCount() - inserts, Ids.made);
    }
}
